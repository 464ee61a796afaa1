// The file-backed reference server: node serve.mjs PORT DIRECTORY. Ends with SIGTERM.
import { DurableStreamTestServer } from "@durable-streams/server"

const [port, dataDir] = process.argv.slice(2)
const server = new DurableStreamTestServer({ port: Number(port), host: "127.0.0.1", dataDir })
await server.start()
process.on("SIGTERM", async () => {
  await server.stop()
  process.exit(0)
})
