const isAscii = /^\p{ASCII}*$/u

/**
 * Stands in for the package `punycode.js` in the built page, as far as markdown-it uses it: the browser writes the
 * hosts of addresses in ASCII itself. A host that is written in ASCII (`xn--…`) is also shown so: its letters could be
 * made to look like those of another host.
 */
const punycode = {
  /** Returns a host in ASCII. Throws when the host is not valid; markdown-it then keeps it as it is. */
  toASCII: (host: string): string => (isAscii.test(host) ? host : new URL(`http://${host}`).hostname),
  toUnicode: (host: string): string => host,
}

/** @public markdown-it imports it, by the alias in vite.config.ts. */
export default punycode
