import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the folder of the built page: in the package, or in a clone after `npm run build`. `undefined` if there is none. */
export function pageFolder(): string | undefined {
  const places = ['./page', '../../console/dist'].map(place => fileURLToPath(new URL(place, import.meta.url)))
  return places.find(place => existsSync(place))
}
