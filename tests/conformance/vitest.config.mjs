import { defineConfig } from "vitest/config"

// The package must be inlined: vitest ignores test files below node_modules.
export default defineConfig({
  test: {
    include: ["conformance.test.mjs"],
    exclude: [],
    testTimeout: 30000,
    server: { deps: { inline: [/@durable-streams\//] } },
  },
})
