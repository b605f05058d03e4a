import { hostOf } from '../text/host-of.ts'

/** Why a person could take a link for another one. */
export type LinkLie =
  /** The text names another host than the link leads to. */
  | { readonly type: 'other-host'; readonly claimed: string; readonly host: string }
  /** The address has a name before its host, which looks like the host: `https://bank.com@evil.example`. */
  | { readonly type: 'user-name'; readonly host: string }
  /** The host has letters that may look like others. It is shown in the form that only has plain ones (punycode). */
  | { readonly type: 'look-alike'; readonly host: string }

/** Returns why a link misleads; `undefined` when it does not. */
export function linkLie(text: string, href: string): LinkLie | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  const host = url.protocol === 'mailto:' ? mailHost(url) : url.hostname
  const claimed = claimedHosts(text).find(each => !isSameSite(plainForm(each), host))
  if (claimed !== undefined) return { type: 'other-host', claimed: plainForm(claimed), host }
  if (url.username !== '' || url.password !== '') return { type: 'user-name', host }
  return /(^|\.)xn--/.test(host) ? { type: 'look-alike', host } : undefined
}

/** Returns the host of an address of a mail, in the form that browsers use for hosts. */
function mailHost({ pathname }: URL): string {
  return plainForm(pathname.slice(pathname.lastIndexOf('@') + 1).toLowerCase())
}

/** Returns a host in punycode: letters that are not plain become "xn--…". */
function plainForm(host: string): string {
  return hostOf(`https://${host}`) || host
}

/** Returns whether two hosts belong to the same site: they are the same, or one is a part of the other. */
function isSameSite(one: string, other: string): boolean {
  const [first, second] = [one, other].map(each => each.replace(/^www\./, '').replace(/\.$/, ''))
  return first === second || `${first}`.endsWith(`.${second}`) || `${second}`.endsWith(`.${first}`)
}

/**
 * Returns the hosts that the text of a link names, as a person reads them: "bank.com" for "Log in at bank.com". The
 * characters of the text may be chosen to deceive, so invisible ones are left out and wide forms count as plain ones.
 */
function claimedHosts(text: string): readonly string[] {
  const shown = visibleText(text)
  const address = /^(?:https?:)?\/\/([^/?#\s]*)\S*$/i.exec(shown) ?? /^(www\.[^/?#\s]*)\S*$/i.exec(shown)
  // The text is one whole address. Its path may contain other addresses, which it does not claim to lead to.
  if (address?.[1] !== undefined) return hostsIn(address[1])
  const afterScheme = [...shown.matchAll(/(?:\/\/|\bwww\.)([^/?#\s]*)/gi)].flatMap(([, found]) =>
    hostsIn(found ?? ''),
  )
  const found = new Set([...hostsIn(shown).filter(isLikelyHost), ...afterScheme])
  return found.size > 0 ? [...found] : spacedHosts(shown)
}

/** Returns the host that a text is when its white space is removed: "b a n k . c o m". */
function spacedHosts(text: string): readonly string[] {
  const joined = text.replace(/\s/g, '')
  return wholeHost.test(joined) ? hostsIn(joined).filter(isLikelyHost) : []
}

// Letters of scripts that are written without spaces are left out: "请看example.com" names "example.com".
const letter =
  '[[\\p{L}\\p{N}]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}]]'
const label = `${letter}(?:[${letter}\\-]*${letter})?`
const host = `(?:${label}\\.)+(?:${letter}{2,63}|xn--[a-z0-9\\-]+)`
const anyHost = new RegExp(host, 'giv')
const wholeHost = new RegExp(`^${host}(?:/|$)`, 'iv')

function hostsIn(text: string): readonly string[] {
  return [...text.matchAll(anyHost)].map(([found]) => found.toLowerCase())
}

function visibleText(text: string): string {
  return (
    text
      .normalize('NFKC')
      // Invisible characters, those that change the direction, and spaces that are too thin to be seen.
      .replace(/[[\p{Cf}\p{Cc}\u115f\u1160\u2000-\u200a\u202f\u3164\ufe00-\ufe0f\uffa0]--[\t\n\r]]/gv, '')
      // Browsers read the full stop of Chinese as a dot. Between other letters it is no end of a sentence.
      .replace(/(?<=[a-z0-9])。(?=[a-z])/gi, '.')
      .trim()
  )
}

/**
 * Returns whether something with a dot is meant as a host, although nothing else says so. Names of files and functions
 * have dots too: "README.md", "Node.js", "fs.readFile". Only the common endings count. Asking too often would teach
 * people not to read the question.
 */
function isLikelyHost(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (!/^[a-z]+$/.test(ending)) return true
  return ending.length === 2 ? !fileEndings.has(ending) : commonEndings.has(ending)
}

const fileEndings: ReadonlySet<string> = new Set('cs db ex go gz hs js kt md py rb rs sh ts vb xz'.split(' '))

const commonEndings: ReadonlySet<string> = new Set(
  `com org net edu gov mil int info biz xyz top app dev page site online shop store tech cloud space website live
  world today news media blog email club vip pro one fun ltd inc llc group agency company business services systems
  solutions network digital software support help center global international bank finance financial money credit
  insurance capital fund cash loan pay tax legal law health care clinic hospital pharmacy school academy university
  education museum travel hotel asia africa lat london berlin tokyo paris nyc example test invalid local localhost
  onion link click work works team tools zone wiki design studio games game casino bet poker win icu cyou sbs rest
  monster buzz quest lol`.split(/\s+/),
)
