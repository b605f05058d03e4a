// Other people's clients, pages with their development servers, and others that take long. `npm run test:integrations` runs
// them.
export const integrationTests = [
  'packages/server/test/compatibility/**/*.test.ts',
  'examples/test/**/*.test.ts',
  'apps/console/test/dev-server.test.ts',
  'apps/console/test/payloads/heavy-texts.test.ts',
  'apps/cli/test/conformance/conformance-faults.test.ts',
  'bench/test/layers/measure-layer.test.ts',
  'bench/test/load/{runs,scenarios}.test.ts',
  'bench/test/scale/*.test.ts',
  'packages/server/test/nodes/node-processes.test.ts',
  'packages/store/test/postgres/query-plans.test.ts',
]

// Each of these files gets its own modules and global values, because some of them define a `window`, and one counts all objects of
// its process.
export const isolatedTests = [
  'packages/client/test/{react,vue}/*.test.ts',
  'packages/client/test/chat/create-chat-{callbacks,faults}.test.ts',
  'packages/server/test/security/sign-in-memory.test.ts',
]

// Servers, browsers, processes that are started and killed, databases that fail, and what npm installs. They share their modules like the
// others, but get more time: they also have to pass on a machine that does other things.
export const slowTests = [
  '{apps/*,bench,scripts,torture,packages/{create,testing}}/test/**/*.test.ts',
  'packages/agents/test/{browser,databases,mcp}/**/*.test.ts',
  'packages/{client,server}/test/**/*.test.ts',
  'packages/store/test/{backup,move,postgres}/**/*.test.ts',
  'packages/store/test/sqlite/kill-9.test.ts',
]

// Files that take long although they are small. See `long-files-first.ts`.
export const longTests = [
  'apps/console/test/{states,screenshots}.test.ts',
  'integrations/{mcp-conformance,three-nodes,templates}.test.ts',
  'integrations/next/next.test.ts',
  'bench/test/{load,scale}/scenarios.test.ts',
  'packages/server/test/crashes/{crashed-runs,cut-sub-agents,deadly-runs}.test.ts',
  'packages/server/test/faults/{lossy-failover,passing-faults,postgres-away}.test.ts',
  'packages/server/test/nodes/{node-processes,taken-sub-agents}.test.ts',
  'scripts/test/installed-client.test.ts',
  'torture/test/torture.test.ts',
  'torture/test/power-loss/replay.test.ts',
]

/**
 * How long a test may take. What it waits for has less, because a wait says what it sees when its time is over, and the end of a
 * test does not: `until` and `inTime` of packages/testing, and `expect.poll`. `TEST_TIME_FACTOR=4` gives everything four times as
 * long, on a machine that does other things.
 */
export function timeLimits(seconds: number) {
  const testMs = seconds * 1_000 * Number(process.env['TEST_TIME_FACTOR'] ?? 1)
  const waitMs = testMs * 0.8
  return {
    testTimeout: testMs,
    hookTimeout: testMs,
    expect: { poll: { timeout: waitMs } },
    env: { TEST_WAIT_MS: `${waitMs}` },
  }
}
