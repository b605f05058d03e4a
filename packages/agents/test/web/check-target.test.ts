import { expect, test } from 'vitest'
import { checkTarget } from '../../src/web/guard/check-target.ts'
import { WebAccessError } from '../../src/web/guard/web-access-error.ts'

function codeOf(url: string, allowHosts: readonly string[] = []): string {
  try {
    checkTarget(url, allowHosts)
    return 'passes'
  } catch (error) {
    if (error instanceof WebAccessError) return error.code
    throw error
  }
}

test.each([
  ['https://example.com/', 'passes'],
  ['http://example.com:8080/', 'passes'],
  ['http://example.com:443/', 'passes'],
  ['https://[2606:4700:4700::1111]:8443/', 'passes'],
  ['example.com', 'invalid-url'],
  ['http://', 'invalid-url'],
  ['http://[::1%25lo]/', 'invalid-url'],
  [`https://example.com/${'a'.repeat(4096)}`, 'invalid-url'],
  ['file:///etc/passwd', 'blocked-scheme'],
  ['ftp://example.com/', 'blocked-scheme'],
  ['data:text/plain,hello', 'blocked-scheme'],
  ['http://user@example.com/', 'credentials'],
  ['http://:secret@example.com/', 'credentials'],
  ['http://example.com:22/', 'blocked-port'],
  ['http://example.com:0/', 'blocked-port'],
  ['http://example.com:1023/', 'blocked-port'],
  ['http://example.com:6379/', 'blocked-port'],
  ['http://example.com:6667/', 'blocked-port'],
])('%s: %s', (url, expected) => {
  expect(codeOf(url)).toBe(expected)
})

test.each(['2130706433', '0x7f.1', '0177.0.0.1', '１２７.0.0.1', '127。0。0。1', '127.0.0.1.'])(
  'the host %s is seen as 127.0.0.1',
  host => {
    expect(checkTarget(`http://${host}/`, []).host).toBe('127.0.0.1')
  },
)

test.each([
  ['http://localhost:8080/', ['localhost:8080'], true],
  ['https://localhost:8080/', ['localhost:8080'], true],
  ['http://LOCALHOST:8080/', ['localhost:8080'], true],
  ['http://localhost:8081/', ['localhost:8080'], false],
  ['http://localhost/', ['localhost:8080'], false],
  ['http://localhost/', ['localhost'], true],
  ['https://localhost/', ['localhost'], true],
  ['http://localhost:8080/', ['localhost'], false],
  ['http://localhost:80/', ['localhost:80'], true],
  ['https://localhost/', ['localhost:80'], false],
  ['http://localhost./', ['localhost'], false],
  ['http://a.localhost/', ['localhost'], false],
  ['http://127.0.0.1/', ['localhost'], false],
  ['http://[::1]:8080/', ['[::1]:8080'], true],
  ['http://intranet.example/', ['other.example', 'intranet.example'], true],
  ['http://intranet.example/', ['http://intranet.example'], false],
  ['http://intranet.example/', ['*.example', '', '/', '@', '::1'], false],
] as const)('%s with %j is named by the operator: %s', (url, allowHosts, expected) => {
  expect(checkTarget(url, allowHosts).isNamed).toBe(expected)
})

test('a port that the operator names is open, though it is closed otherwise', () => {
  expect(codeOf('http://localhost:81/', ['localhost:81'])).toBe('passes')
  expect(codeOf('http://localhost:82/', ['localhost:81'])).toBe('blocked-port')
})

test('a named host still needs http and no credentials', () => {
  expect(codeOf('ftp://localhost:8080/', ['localhost:8080'])).toBe('blocked-scheme')
  expect(codeOf('http://user@localhost:8080/', ['localhost:8080'])).toBe('credentials')
})
