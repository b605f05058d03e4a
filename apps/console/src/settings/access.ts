const key = 'throughline.token'

/** The header that lets us in, when the server asks for a token. */
export function accessHeaders(): Record<string, string> {
  const token = localStorage.getItem(key)
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

export function keepToken(token: string): void {
  localStorage.setItem(key, token)
}
