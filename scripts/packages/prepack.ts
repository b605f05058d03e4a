// Runs before `npm pack` and `npm publish` in the folder of a package. What they would pack there is whatever was built last, or nothing.
import { basename } from 'node:path'
import { isPackedByScript } from './pack-into.ts'

if (!isPackedByScript(process.env)) {
  console.error(
    `${basename(process.cwd())} is not packed alone, because its folder may hold an old build or none. In the root of the repository, "npm run pack:packages" builds and packs all packages as they are released.`,
  )
  process.exitCode = 1
}
