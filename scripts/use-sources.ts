import { defaultClientConditions, defaultServerConditions } from 'vite'

/** The condition by which the packages of this repository find each other's sources, without a build. */
const condition = 'throughline-source'

/** Vite's settings for code that imports the packages of this repository. */
export const sourceConditions = {
  resolve: { conditions: [condition, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [condition, ...defaultServerConditions] } },
}

/** Lets every process that this one starts use the sources, too. */
export function useSourcesInProcesses(): void {
  process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], `--conditions=${condition}`].join(' ').trim()
}
