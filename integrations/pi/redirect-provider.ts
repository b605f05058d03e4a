// Preloaded with `--import` into a server whose agent has its own client of Anthropic: its requests go to PROVIDER_URL.
const { fetch } = globalThis
const target = process.env['PROVIDER_URL'] ?? ''

globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  const path = /^https:\/\/api\.anthropic\.com(\/.*)$/.exec(url)?.[1]
  return path === undefined ? fetch(input, init) : fetch(`${target}${path}`, init)
}

export {}
