import { runConformanceTests } from "@durable-streams/server-conformance-tests"

const baseUrl = process.env.CONFORMANCE_TEST_URL
if (!baseUrl) throw new Error("set CONFORMANCE_TEST_URL to the node's address, without a slash at its end")

runConformanceTests({
  baseUrl,
  longPollTimeoutMs: Number(process.env.LONG_POLL_TIMEOUT_MS ?? 20000),
  subscriptions: process.env.SUBSCRIPTIONS === "1",
})
