// Control characters, characters that change the direction of the text, and the invisible "tag" characters. Tag
// characters can hide whole sentences: a model reads them, but a person does not see them. Joiners stay, because some
// scripts and many emoji need them.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Returns the text without invisible characters, and with "\n" for every line end. */
export function withoutInvisible(text: string): string {
  return text.replace(invisible, '').replace(/\r\n?/g, '\n')
}
