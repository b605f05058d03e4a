/** Covers secrets in a text. */
export type HideSecrets = (text: string) => string

/** Shorter ones stand in too many texts by chance, and are no secrets worth the name. */
const minSecretChars = 8

/** Makes a function that covers these secrets wherever they stand in a text, also as JSON or a URL writes them. */
export function hideSecrets(secrets: Iterable<string>): HideSecrets {
  const forms = [...secrets]
    .filter(secret => secret.length >= minSecretChars)
    .flatMap(secret => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
    ])
  if (forms.length === 0) return text => text
  // The longer ones first, since one secret may be the beginning of another.
  const sorted = [...new Set(forms)].toSorted((one, other) => other.length - one.length)
  const pattern = new RegExp(sorted.map(literal).join('|'), 'g')
  return text => text.replace(pattern, '[secret]')
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

const secretName = /(?:^|[_-])(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION|COOKIE)S?$/i

/** The values that are secrets by their names, such as `OPENAI_API_KEY` or `x-api-key`. */
export function secretsIn(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const trimmed = value?.trim()
    return trimmed !== undefined && secretName.test(name) ? [trimmed] : []
  })
}
