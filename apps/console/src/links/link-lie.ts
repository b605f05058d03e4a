import { hostOf } from '../host-of.ts'
import { claimedHosts } from './claimed-hosts.ts'

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
