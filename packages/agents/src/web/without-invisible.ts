// Control characters, characters that reverse the reading direction, and the invisible "tag" characters, in which whole
// sentences can be hidden from people but not from a model. Joiners stay: scripts and emoji need them.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Text without what nobody sees, and with one kind of line end. */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, '').replace(/\r\n?/g, '\n')
}
