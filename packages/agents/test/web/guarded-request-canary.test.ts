import { connect as netConnect, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type SeededRandom, seededRandom } from '../../src/demo/seeded-random.ts'
import { isPublicAddress } from '../../src/web/guard/address-guard.ts'
import { type GuardedFetchOptions, guardedFetch } from '../../src/web/guard/guarded-request.ts'
import type { Connect } from '../../src/web/guard/open-socket.ts'
import { WebAccessError } from '../../src/web/guard/web-access-error.ts'
import { startCanary, startLocalServer } from './testing/local-server.ts'
import { hostileUrl, nonPublicIPv4, nonPublicIPv6 } from './testing/non-public-urls.ts'

const publicAddresses = ['93.184.215.14', '2606:4700:4700::1111', '8.8.8.8'] as const
const anyNonPublic = (random: SeededRandom) =>
  random.below(2) === 0 ? nonPublicIPv4(random).join('.') : nonPublicIPv6(random)

// Each of these attempts opens a connection, so `npm test` makes few of them.
const hostCount = Number(process.env['HOSTILE_HOSTS'] ?? 400)

test('12,000 URLs of non-public hosts open no connection', async () => {
  await using canary = await startCanary()
  const random = seededRandom(11)
  const codes = await refusals(12_000, () => {
    const url = hostileUrl(random, canary.port)
    // Half of the connections would go to the canary, whatever their address is. The others would go to their own
    // address, but only if it is on this machine, where the canary listens, too.
    const connect = random.below(2) === 0 ? toCanary(canary.port) : onlyLoopback
    return { url, options: { resolve: async () => [anyNonPublic(random)], connect } }
  })
  expect(canary.connections).toBe(0)
  // Enough URLs must get past the first checks, so that the check of addresses is tested.
  expect(codes.get('blocked-address')).toBeGreaterThan(4_000)
  for (const code of ['credentials', 'blocked-scheme', 'blocked-port', 'invalid-url']) {
    expect(codes.get(code), code).toBeGreaterThan(200)
  }
})

test('3,000 names with one non-public address among public ones open no connection', async () => {
  await using canary = await startCanary()
  const random = seededRandom(12)
  const codes = await refusals(3_000, () => {
    const addresses: string[] = Array.from({ length: 1 + random.below(4) }, () =>
      random.pick(publicAddresses),
    )
    addresses.splice(
      random.below(addresses.length + 1),
      0,
      random.pick([anyNonPublic(random), anyNonPublic(random), 'fe80::1%lo']),
    )
    const url = `${random.pick(['http', 'https'])}://public.example:${canary.port}/`
    return { url, options: { resolve: async () => addresses, connect: toCanary(canary.port) } }
  })
  expect(canary.connections).toBe(0)
  expect(codes.get('blocked-address')).toBe(3_000)
})

test(`${hostCount} names whose address changes after the check are connected at the address that was checked`, async () => {
  await using canary = await startCanary()
  const random = seededRandom(13)
  const connected: string[] = []
  const codes = await refusals(hostCount, () => {
    const checked = random.pick(publicAddresses)
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return lookups === 1 ? [checked] : [anyNonPublic(random)]
    }
    const connect = followingLookup(canary.port, address => connected.push(`${checked} ${address}`))
    return { url: `http://rebinding.example:${canary.port}/`, options: { resolve, connect } }
  })
  expect(canary.connections).toBe(0)
  expect(codes.get('network')).toBe(hostCount)
  expect(connected).toHaveLength(hostCount)
  expect(connected.every(pair => pair.split(' ')[0] === pair.split(' ')[1])).toBe(true)
})

test(`${hostCount} redirects to non-public hosts, after one to three hops, open no connection`, async () => {
  await using canary = await startCanary()
  const random = seededRandom(14)
  const targets: string[] = []
  await using front = await startLocalServer((request, response) => {
    const [hops = 0, index = 0] = (request.url ?? '').split('/').slice(1).map(Number)
    const location = hops > 1 ? `/${hops - 1}/${index}` : latin1(targets[index] ?? '')
    response.writeHead(random.pick([301, 302, 303, 307, 308]), { location }).end()
  })
  const codes = await refusals(hostCount, index => {
    targets[index] = absoluteUrl(random, canary.port)
    const connect: Connect = options =>
      options.port === front.port ? netConnect(options) : toCanary(canary.port)(options)
    const url = `${front.url}/${1 + random.below(3)}/${index}`
    return {
      url,
      options: { allowHosts: [front.host], resolve: async () => [anyNonPublic(random)], connect },
    }
  })
  expect(canary.connections).toBe(0)
  expect(front.requests.length).toBeGreaterThan(hostCount)
  expect(codes.get('blocked-address')).toBeGreaterThan(hostCount / 3)
})

test('the canary does notice: a host that the operator names is connected', async () => {
  await using canary = await startCanary()
  const allowHosts = [`127.0.0.1:${canary.port}`, `canary.example:${canary.port}`]
  const direct = await guardedFetch(`http://127.0.0.1:${canary.port}/`, { allowHosts })
  const resolve = async () => ['127.0.0.1']
  const named = await guardedFetch(`http://canary.example:${canary.port}/`, { allowHosts, resolve })
  expect([direct.body.toString(), named.body.toString()]).toEqual(['canary', 'canary'])
  expect(canary.connections).toBe(2)
})

test('a connection that ends elsewhere than it should is closed before a byte is sent', async () => {
  await using canary = await startCanary()
  for (const scheme of ['http', 'https']) {
    const refused = guardedFetch(`${scheme}://public.example/`, {
      resolve: async () => ['93.184.215.14'],
      connect: toCanary(canary.port),
    })
    await expect(refused).rejects.toMatchObject({ name: 'WebAccessError', code: 'blocked-address' })
  }
  expect(canary.connections).toBe(2)
  expect(canary.bytes).toBe(0)
})

test('a public address of this machine is refused, because it lies behind its own firewall', async () => {
  const options = { ownAddresses: () => ['93.184.215.14', '2001:4860::8888'], connect: onlyLoopback }
  const urls = ['http://93.184.215.14/', 'http://[2001:4860:0:0::8888]/', 'http://[::ffff:93.184.215.14]/']
  for (const url of urls) {
    await expect(guardedFetch(url, options)).rejects.toMatchObject({ code: 'blocked-address' })
  }
})

test('what the system finds for localhost is refused without being named', async () => {
  const refused = await guardedFetch('http://localhost:8080/').catch(error => error)
  expect(refused).toMatchObject({ code: 'blocked-address' })
  expect(refused.message).not.toMatch(/127\.|::1|localhost/)
})

type Attempt = { readonly url: string; readonly options: GuardedFetchOptions }

/** Runs attempts that must all be refused. Returns how often each error code came. */
async function refusals(count: number, attempt: (index: number) => Attempt): Promise<Map<string, number>> {
  const codes = new Map<string, number>()
  let next = 0
  const worker = async () => {
    while (next < count) {
      const { url, options } = attempt(next)
      next += 1
      const result = await guardedFetch(url, { timeoutMs: 30_000, ...options }).catch(
        (error: unknown) => error,
      )
      if (!(result instanceof WebAccessError))
        throw new Error(`Not refused: ${JSON.stringify(url)}`, { cause: result })
      codes.set(result.code, (codes.get(result.code) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return codes
}

function toCanary(port: number): Connect {
  return () => netConnect(port, '127.0.0.1')
}

/** Connects only to this machine, so that a test never reaches the network, also when a check fails. */
const onlyLoopback: Connect = options => {
  const isHere = options.host === '127.0.0.1' || options.host === '::1'
  return isHere ? netConnect(options) : refusedSocket()
}

/** Reports the addresses that the lookup returns. Connects to the canary if one of them is not public. */
function followingLookup(port: number, onAddress: (address: string) => void): Connect {
  return ({ lookup, host = '' }) => {
    const found: string[] = []
    lookup?.(host, { all: true }, (_error, addresses) => {
      for (const { address } of Array.isArray(addresses) ? addresses : []) found.push(address)
    })
    for (const address of found) onAddress(address)
    return found.every(isPublicAddress) ? refusedSocket() : netConnect(port, '127.0.0.1')
  }
}

function refusedSocket(): Socket {
  const socket = new Socket()
  setImmediate(() => socket.destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })))
  return socket
}

// A relative URL would lead back to the front server, so only absolute ones are used.
function absoluteUrl(random: SeededRandom, port: number): string {
  while (true) {
    const url = hostileUrl(random, port)
      .replace(/[\r\n\t]/g, '')
      .trim()
    if (/^[a-z-]+:(?:[/\\]{2}|[^/\\\d])/i.test(url) && url.includes('://')) return url
  }
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
