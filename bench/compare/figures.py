"""Samples of one run, the ratios between them, and how they are printed."""
import dataclasses
import statistics


@dataclasses.dataclass
class Sample:
    """What one server did in one round. rate is records (or bytes) a second."""
    rate: float
    cpu_per_million: float | None = None  # Server CPU seconds per million records (per GiB read).
    extra: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Figure:
    """One line of the table."""
    row: str
    what: str
    unit: str
    aim: str
    reached: bool | None
    samples: dict = dataclasses.field(default_factory=dict)  # server name -> list of Sample
    ratios: list = dataclasses.field(default_factory=list)
    note: str = ""

    def line(self):
        parts = [f"{self.row:<10} {self.what}"]
        for name, samples in self.samples.items():
            parts.append(f"{'':<10}   {name:<22} {spread([s.rate for s in samples])} {self.unit}"
                         + cpu_text(samples) + extra_text(samples))
        if self.ratios:
            parts.append(f"{'':<10}   ratio {spread(self.ratios)}, aim {self.aim}: {self.verdict}")
        else:
            parts.append(f"{'':<10}   aim {self.aim}: {self.verdict}")
        if self.note:
            parts.append(f"{'':<10}   {self.note}")
        return "\n".join(parts)

    @property
    def verdict(self):
        return {True: "reached", False: "MISSED", None: "-"}[self.reached]

    def as_json(self):
        return dataclasses.asdict(self)


def short(value):
    """Three digits that matter."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def spread(values):
    """median (min..max)"""
    return f"{short(statistics.median(values))} ({short(min(values))}..{short(max(values))})"


def cpu_text(samples):
    known = [s.cpu_per_million for s in samples if s.cpu_per_million is not None]
    return f", {short(statistics.median(known))} CPU s/M" if known else ""


def extra_text(samples):
    keys = samples[0].extra if samples else {}
    return "".join(f", {key} {short(statistics.median(s.extra[key] for s in samples))}"
                   for key in keys)


def median_rate(samples):
    return statistics.median(s.rate for s in samples)


def ratios(ours, theirs):
    """Round by round, since rounds that lie beside each other saw the same machine."""
    return [a.rate / b.rate for a, b in zip(ours, theirs)]
