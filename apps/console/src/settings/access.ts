const key = 'throughline.token'

/** Returns the header with the person's token; empty when there is no token. */
export function accessHeaders(): Record<string, string> {
  const token = localStorage.getItem(key)
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

export function keepToken(token: string): void {
  localStorage.setItem(key, token)
}
