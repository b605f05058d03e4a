#!/usr/bin/env node
// Plain JavaScript, so that an old Node can read far enough to say that it is too old.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `throughline needs Node 24.15 or newer, this is ${process.versions.node}. In its repository, "npm start" brings its own.`,
  )
  process.exit(1)
}
const { main } = await import('../src/main.ts')
await main(process.argv.slice(2), process.env)
