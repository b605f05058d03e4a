import { createThroughline, type Throughline } from 'throughline'
import config from './throughline.config.ts'

declare global {
  var throughline: Promise<Throughline> | undefined
}

/**
 * Returns the one Throughline of this process. Only one may use the folder of the data, and Next loads modules again when
 * you change them: so it is kept outside of the module. When you have changed an agent or a tool, start `npm run dev` anew.
 */
export function getThroughline(): Promise<Throughline> {
  globalThis.throughline ??= createThroughline({ ...config, basePath: '/ai', page: false })
  return globalThis.throughline
}
