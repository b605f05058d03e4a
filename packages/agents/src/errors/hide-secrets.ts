/** Covers secrets in a text. */
export type HideSecrets = (text: string) => string

/** Shorter secrets occur in other texts by chance. */
const minSecretChars = 8

/** Makes a function that covers these secrets everywhere in a text, also in the form that JSON or a URL gives them. */
export function hideSecrets(secrets: Iterable<string>): HideSecrets {
  const forms = [...secrets]
    .filter(secret => secret.length >= minSecretChars)
    .flatMap(secret => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
    ])
  if (forms.length === 0) return text => text
  // Longer secrets first, because one secret may be the beginning of another.
  const sorted = [...new Set(forms)].toSorted((one, other) => other.length - one.length)
  const pattern = new RegExp(sorted.map(literal).join('|'), 'g')
  return text => text.replace(pattern, '[secret]')
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

const secretName = /(?:^|[_-])(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTHORIZATION|COOKIE)S?$/i

/** Returns the values whose names say that they are secrets, such as `OPENAI_API_KEY` or `x-api-key`. */
export function secretsIn(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const trimmed = value?.trim()
    return trimmed !== undefined && secretName.test(name) ? [trimmed] : []
  })
}
