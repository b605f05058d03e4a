import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** How many cases each of these tests has here. `npm test` runs a short, fixed part of them. */
const cases = {
  FAULT_RUNS: '2000',
  QUERY_FAULT_RUNS: '1000',
  RUNS: '5000',
  HISTORY_RUNS: '300',
  BLOCK_RUNS: '20000',
  FORM_RUNS: '1000',
  BAD_INPUTS: '100000',
  HOSTILE_HOSTS: '3000',
  CUT_STEP: '1',
  KILLS: '300',
  LOG_RACES: '1500',
  LOG_FAULT_ENTRIES: '1000',
  SHIFTS: '11',
  DEATH_STEP: '1',
  DELEGATIONS: '500',
  SCROLL_STEPS: '32',
  PAYLOADS: '2000',
}

const files = [
  'packages/store/test/sqlite/kill-9.test.ts',
  'packages/store/test/postgres/log/log-races.test.ts',
  'packages/store/test/postgres/log/log-faults.test.ts',
  'packages/client/test/chat/create-chat-faults.test.ts',
  'packages/client/test/events/query-faults.test.ts',
  'packages/client/test/events/query-store.test.ts',
  'packages/client/test/react/use-agent-stream.test.ts',
  'packages/client/test/vue/use-agent-stream.test.ts',
  'packages/client/test/vue/chat-interface.test.ts',
  'packages/protocol/test/history/check-history.test.ts',
  'packages/protocol/test/history/log-mutants.test.ts',
  'packages/protocol/test/history/message-mutants.test.ts',
  'packages/protocol/test/history/viewer-mutants.test.ts',
  'packages/agents/test/web/guarded-request-canary.test.ts',
  'packages/channels/test/delivery/deliver-run-properties.test.ts',
  'packages/channels/test/cutting/block-chunker-properties.test.ts',
  'packages/server/test/faults/passing-faults.test.ts',
  'packages/server/test/crashes/cut-sub-agents.test.ts',
  'packages/server/test/channels/kill-9.test.ts',
  'packages/server/test/channels/approval-kill-9.test.ts',
  'packages/server/test/resume/kill-9.test.ts',
  'packages/server/test/security/bad-input.test.ts',
  'packages/server/test/stream/wire-form-properties.test.ts',
  'packages/server/test/data-stream/older-sdk-properties.test.ts',
  'packages/server/test/openai/open-ai-properties.test.ts',
  'apps/console/test/reading-frames.test.ts',
  'apps/console/test/payloads/payloads-page.test.ts',
]

/**
 * Runs the tests of faults, kills and properties with all their cases. A number can be set in the environment, such as
 * `KILLS=20`. Returns the exit code.
 */
export async function runTests(): Promise<number> {
  // Builds the page before.
  const tests = spawn('npm', ['test', '--', ...files], {
    stdio: 'inherit',
    // A test may take hours here: its duration says nothing about whether the code is right.
    env: { TEST_TIME_FACTOR: '1000', ...cases, ...process.env },
    shell: process.platform === 'win32',
  })
  const [code] = await once(tests, 'exit')
  return typeof code === 'number' ? code : 1
}
