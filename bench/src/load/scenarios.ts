import type { Scenarios } from '../scenario.ts'
import type { LoadOptions } from './load-options.ts'
import { runsPictures, soakPictures } from './record/load-pictures.ts'
import { appendFlows, measureAppend } from './scenarios/append.ts'
import { measureCommand } from './scenarios/command.ts'
import { measureFanOut } from './scenarios/fan-out.ts'
import { measureFirstText } from './scenarios/first-text.ts'
import { measureIdle } from './scenarios/idle.ts'
import { measureKnee } from './scenarios/knee.ts'
import { measurePaced } from './scenarios/paced.ts'
import { measureProvider } from './scenarios/provider.ts'
import { measureReaders } from './scenarios/readers.ts'
import { measureRuns, runsSizes } from './scenarios/runs.ts'
import { measureSoak } from './scenarios/soak.ts'
import { measureStalled } from './scenarios/stalled.ts'
import { measureStorm } from './scenarios/storm.ts'

/** The scenarios of `npm run bench -- load`, in the order in which they are measured. */
export const scenarios: Scenarios<LoadOptions> = {
  async runs({ seconds = 5, runs, withPeers }) {
    const sizes = runsSizes.filter(size => runs === undefined || runs.includes(size.runs))
    const { section, points } = await measureRuns({ seconds, sizes, withPeers })
    return { section, figures: points, pictures: runsPictures(points) }
  },
  command: ({ seconds = 10, runs: [runs = 1_000] = [] }) => measureCommand({ runs, seconds }),
  append: ({ seconds = 5 }) => measureAppend({ flows: appendFlows, seconds }),
  async paced({ seconds = 3 }) {
    const { section, rounds } = await measurePaced({ seconds, rounds: 3, chats: 20 })
    return { section, figures: rounds }
  },
  provider: ({ seconds = 10 }) => measureProvider({ runs: 300, seconds }),
  knee: ({ seconds = 10 }) =>
    measureKnee({ ways: ['streamText', 'main', 'thread'], from: 150, to: 600, seconds }),
  'fan-out': ({ seconds = 10, viewers = 1_000 }) => measureFanOut({ viewers, seconds }),
  idle: ({ viewers = 1_000 }) => measureIdle({ viewers }),
  stalled: ({ viewers = 1_000 }) => measureStalled({ viewers, answerBytes: 6e6 }),
  storm: ({ seconds = 6 }) => measureStorm({ resumed: 500, stopped: 300, seconds }),
  readers: ({ seconds = 10 }) =>
    measureReaders({ readers: 20, messages: 2_500, chars: 2_000, runs: 100, seconds }),
  async 'first-text'() {
    const { section, rounds } = await measureFirstText({ longChat: 5_000, shortChat: 10, rounds: 31 })
    return { section, figures: rounds }
  },
  async soak({ minutes = 6 }) {
    const { section, figures } = await measureSoak({ minutes, runsPerSecond: 20, runSeconds: 5 })
    return { section, figures, pictures: soakPictures(figures) }
  },
}
