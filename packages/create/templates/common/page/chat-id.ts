/** Returns the id of the chat in the address (`#chat-…`). If there is none, makes one and puts it there. */
export function chatIdInAddress(): string {
  const id = location.hash.slice(1)
  if (/^[\w-]{1,128}$/.test(id)) return id
  const made = newChatId()
  history.replaceState(null, '', `#${made}`)
  return made
}

/** Leaves the chat for a new one. The old one stays at its address. */
export function openNewChat(): void {
  location.hash = newChatId()
}

function newChatId(): string {
  return `chat-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`
}
