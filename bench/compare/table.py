"""The table of docs/benchmarks.md, made of the samples that run.py wrote with --json."""
import statistics

from figures import Figure, Sample, short, spread

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def figure_of(stored):
    samples = {name: [Sample(**sample) for sample in found]
               for name, found in stored["samples"].items()}
    fields = {key: value for key, value in stored.items() if key != "group"}
    return Figure(**(fields | {"samples": samples}))


def cell(samples, unit):
    if not samples:
        return ""
    text = f"{spread([s.rate for s in samples])} {unit}"
    cpu = [s.cpu_per_million for s in samples if s.cpu_per_million is not None]
    if cpu:
        text += f"<br>{short(statistics.median(cpu))} CPU s per million"
    for key in samples[0].extra:
        text += f"<br>{key} {short(statistics.median(s.extra[key] for s in samples))}"
    return text


def markdown(figures):
    lines = ["| row | what | clouduler | beside it | ratio | aim | |",
             "|---|---|---|---|---|---|---|"]
    for figure in figures:
        names = list(figure.samples)
        beside = "<br>".join(f"{name}: {cell(figure.samples[name], figure.unit)}"
                             for name in names[1:])
        ratio = spread(figure.ratios) if figure.ratios else figure.note
        own = cell(figure.samples[names[0]], figure.unit)
        if names[0] != "clouduler":
            own = f"{names[0]}: {own}"
        lines.append(f"| {figure.row} | {figure.what} | {own} | {beside} | {ratio} | {figure.aim} "
                     f"| {figure.verdict} |")
    return "\n".join(lines) + "\n"


def rewrite(path, figures):
    """Puts the table between the two marks of the page."""
    page = path.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(before + BEGIN + "\n" + markdown(figures) + "\n" + END + after)
