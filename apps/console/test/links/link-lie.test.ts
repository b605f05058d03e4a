import { expect, test } from 'vitest'
import { linkLie } from '../../src/links/link-lie.ts'

const evil = 'https://evil.example/login'

test.each([
  ['another host', 'bank.com', 'bank.com'],
  ['another host in a sentence', 'Log in at bank.com now', 'bank.com'],
  ['another address', 'https://bank.com/login', 'bank.com'],
  ['an address without a scheme', '//bank.abogado/x', 'bank.abogado'],
  ['a host with www', 'www.bank.abogado', 'www.bank.abogado'],
  ['a host before its own', 'bank.com (evil.example)', 'bank.com'],
  ['a host that its own begins with', 'evil.example.com', 'evil.example.com'],
  ['a user name that looks like a host', 'https://bank.com@evil.example', 'bank.com'],
  ['capital letters', 'BANK.COM', 'bank.com'],
  ['invisible characters', 'ba\u200bnk\u00ad.c\u2060om', 'bank.com'],
  ['characters that turn the direction', '\u202ebank.com\u202c', 'bank.com'],
  ['white space between the letters', 'b a n k . c o m', 'bank.com'],
  ['a line break before the dot', 'bank\n.com', 'bank.com'],
  ['thin spaces', 'bank\u200a.\u2009com', 'bank.com'],
  ['wide characters', 'ｂａｎｋ．ｃｏｍ', 'bank.com'],
  ['another dot', 'bank․com', 'bank.com'],
  ['the full stop of Chinese', 'bank。com', 'bank.com'],
  ['Chinese around it', '请登录bank.com查看', 'bank.com'],
  ['Cyrillic letters', 'bаnk.com', 'xn--bnk-6cd.com'],
  ['Cyrillic letters at its end', 'bank.соm', 'bank.xn--m-0tbi'],
  ['punycode', 'xn--bnk-6cd.com', 'xn--bnk-6cd.com'],
])('a text lies about its host with %s', (_, text, claimed) => {
  expect(linkLie(text, evil)).toEqual({ type: 'other-host', claimed, host: 'evil.example' })
})

test.each([
  ['words', 'Log in here', evil],
  ['its host', 'evil.example', evil],
  ['words and its host', 'A chart\nevil.example', evil],
  ['its host with www', 'www.evil.example', evil],
  ['a part of its host', 'evil.example', 'https://login.evil.example'],
  ['the host above', 'docs.evil.example', evil],
  ['its address', 'https://evil.example/login', evil],
  [
    'an address with another one in its path',
    'https://evil.example/see/bank.com/é',
    `${evil}/see/bank.com/%C3%A9`,
  ],
  ['a file', 'README.md', evil],
  ['a library', 'Node.js', evil],
  ['a function', 'fs.readFile', evil],
  ['a version', 'v1.2.3', evil],
  ['the end of a sentence', 'See this. The other is e.g. older', evil],
  ['Chinese sentences', '看这里。谢谢', evil],
  ['a mail address', 'ada@evil.example', 'mailto:ada@evil.example'],
  ['nothing', '', evil],
])('a text that says %s does not', (_, text, href) => {
  expect(linkLie(text, href)).toBeUndefined()
})

test.each([
  ['has a name before its host', 'Here', 'https://bank.com@evil.example/', 'user-name', 'evil.example'],
  ['has a password', 'Here', 'https://a:b@evil.example/', 'user-name', 'evil.example'],
  ['has letters of another script', 'аpple.com', 'https://аpple.com/', 'look-alike', 'xn--pple-43d.com'],
  [
    'has only letters of another script',
    'Here',
    'https://xn--80ak6aa92e.com/',
    'look-alike',
    'xn--80ak6aa92e.com',
  ],
])('an address that %s misleads whatever its text says', (_, text, href, type, host) => {
  expect(linkLie(text, href)).toEqual({ type, host })
})

test('a mail address that names another host lies', () => {
  expect(linkLie('help@bank.com', 'mailto:help@evil.example?subject=bank.com')).toEqual({
    type: 'other-host',
    claimed: 'bank.com',
    host: 'evil.example',
  })
})
