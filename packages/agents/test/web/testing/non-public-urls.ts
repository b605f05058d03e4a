import type { SeededRandom } from '../../../src/demo/seeded-random.ts'

type IPv4 = readonly [number, number, number, number]

/** Returns a random address of a range that is not public. */
export function nonPublicIPv4(random: SeededRandom): IPv4 {
  const any = () => random.below(256)
  return random.pick<() => IPv4>([
    () => [127, 0, 0, 1],
    () => [127, any(), any(), any()],
    () => [0, any(), any(), any()],
    () => [0, 0, 0, 0],
    () => [10, any(), any(), any()],
    () => [100, 64 + random.below(64), any(), any()],
    () => [169, 254, any(), any()],
    () => [169, 254, 169, 254],
    () => [172, 16 + random.below(16), any(), any()],
    () => [192, 168, any(), any()],
    () => [192, 0, 0, any()],
    () => [192, 0, 2, any()],
    () => [198, 18 + random.below(2), any(), any()],
    () => [198, 51, 100, any()],
    () => [203, 0, 113, any()],
    () => [224 + random.below(16), any(), any(), any()],
    () => [240 + random.below(16), any(), any(), any()],
    () => [255, 255, 255, 255],
    () => [168, 63, 129, 16],
  ])()
}

/** Returns a random IPv6 address, without brackets. It is not public, or it contains an IPv4 address that is not. */
export function nonPublicIPv6(random: SeededRandom): string {
  const group = () => random.below(0x10000).toString(16)
  const rest = (count: number) => Array.from({ length: count }, group).join(':')
  const inner = nonPublicIPv4(random)
  const hex = hexGroups(inner)
  const teredo = hexGroups([255 - inner[0], 255 - inner[1], 255 - inner[2], 255 - inner[3]])
  const address = random.pick<() => string>([
    () => '::1',
    () => '::',
    () => '0:0:0:0:0:0:0:1',
    () => '0000:0000:0000:0000:0000:0000:0000:0001',
    () => `::ffff:${inner.join('.')}`,
    () => `::ffff:${hex}`,
    () => `0:0:0:0:0:ffff:${hex}`,
    () => `::${inner.join('.')}`,
    () => `::ffff:0:${inner.join('.')}`,
    () => `64:ff9b::${inner.join('.')}`,
    () => `64:ff9b:1::${hex}`,
    () => `64:ff9b:1:${rest(5)}`,
    () => `2002:${hex}::`,
    () => `2002:${hex}:${rest(5)}`,
    () => `2001:0:${rest(4)}:${teredo}`,
    () => `2001:db8:${rest(6)}`,
    () => `2001:${(0x10 + random.below(0x20)).toString(16)}:${rest(6)}`,
    () => `2001:2:0:${rest(5)}`,
    () => `100::${rest(4)}`,
    () => `f${random.pick(['c', 'd'])}${random.below(256).toString(16).padStart(2, '0')}:${rest(7)}`,
    () => `fe${(0x80 + random.below(0x80)).toString(16)}:${rest(7)}`,
    () => `ff0${random.below(16).toString(16)}::${group()}`,
    () => `3fff:${random.below(0x1000).toString(16)}:${rest(6)}`,
    () => `5f00:${rest(7)}`,
    () => 'fd00:ec2::254',
  ])()
  return random.below(3) === 0 ? address.toUpperCase() : address
}

/** Returns an IPv4 address in one of the many notations that URLs allow. */
function writtenIPv4(address: IPv4, random: SeededRandom): string {
  const [a, b, c, d] = address
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const part = (value: number) =>
    random.pick([
      String(value),
      `0x${value.toString(16)}`,
      `0X${value.toString(16).toUpperCase()}`,
      `0${value.toString(8)}`,
    ])
  const written = random.pick<() => string>([
    () => address.join('.'),
    () => part(number),
    () => `${part(a)}.${part(number % 2 ** 24)}`,
    () => `${part(a)}.${part(b)}.${part(c * 256 + d)}`,
    () => address.map(part).join('.'),
    () => address.map(value => `0000000${value.toString(8)}`).join('.'),
    () => address.map(value => `0x00000${value.toString(16)}`).join('.'),
    () => fullWidth(address.join('.')),
    () => address.join(random.pick(['。', '．', '｡'])),
    () => address.join('.').replace(/\d/g, digit => `%3${digit}`),
    () =>
      address
        .join('.')
        .replace(/\d/g, digit => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit)))),
  ])()
  return random.below(6) === 0 ? `${written}.` : written
}

/** Returns a random URL that must never lead to a connection. The test resolves the host names in it. */
export function hostileUrl(random: SeededRandom, port: number): string {
  const host = hostileHost(random)
  const authority = `${host}${random.below(4) > 0 ? `:${port}` : random.pick(oddPorts)}`
  const path = random.pick([
    '',
    '/',
    '/latest/meta-data/',
    '/?to=https://public.example/',
    '/#@public.example/',
    '/@public.example',
    '/%2e%2e//',
  ])
  return random.pick<() => string>([
    () => `http://${authority}${path}`,
    () => `http://${authority}${path}`,
    () => `http://${authority}${path}`,
    () => `https://${authority}${path}`,
    () => `HTTP://${authority}${path}`,
    () => `http:/${authority}${path}`,
    () => `http:${authority}${path}`,
    () => `http:\\\\${authority}${path}`,
    () => `http:////${authority}${path}`,
    () => ` \t\nhttp://${authority}${path}\r\n `,
    () => `ht\ttp://${authority.slice(0, 2)}\n${authority.slice(2)}${path}`,
    () =>
      `http://${random.pick(['user:secret@', 'public.example@', 'public.example:80@', '@', ':@', 'a%40b@', 'public.example%2f@'])}${authority}${path}`,
    () => `http://${authority}\\@public.example${path}`,
    () => `http://${authority}#@public.example/`,
    () => `http://${authority}?@public.example/`,
    () =>
      `${random.pick(['ftp', 'file', 'gopher', 'ws', 'wss', 'data', 'javascript', 'blob:http', 'view-source:http', 'about', 'unix', 'dict', 'ldap'])}://${authority}${path}`,
    () => `//${authority}${path}`,
    () => `${authority}${path}`,
  ])()
}

const oddPorts = [
  '',
  ':80',
  ':0',
  ':22',
  ':25',
  ':6379',
  ':6667',
  ':65535',
  ':65536',
  ':-1',
  ':8o',
  ':00080',
  ':',
] as const

function hostileHost(random: SeededRandom): string {
  const v4 = () => writtenIPv4(nonPublicIPv4(random), random)
  const v6 = () => `[${nonPublicIPv6(random)}${random.pick(['', '', '', '', '', '%25lo', '%lo', '%1'])}]`
  return random.pick<() => string>([v4, v4, v4, v6, v6, v6, () => random.pick(names)])()
}

const names = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc\u00adalhost',
  'a.localhost',
  'ip6-localhost',
  'metadata.google.internal',
  '127.0.0.1.nip.example',
  '127.0.0.1.example.',
  'xn--fiq228c.example',
  '中文.example',
  'xn--',
  'faß.example',
  'a..b',
  '1.2.3.4.5',
  '127.0.0.1%00.example',
  '127.0.0.1%2eexample',
  '[::1].example',
  '',
] as const

function hexGroups([a, b, c, d]: IPv4): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

function fullWidth(text: string): string {
  return text.replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit)))
}
