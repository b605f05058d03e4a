const key = 'throughline.notifications'

/** Returns whether this browser can show notifications for this page. */
export function canNotify(): boolean {
  // On Android, only service workers can show them.
  return 'Notification' in globalThis && !/Android/i.test(navigator.userAgent)
}

/** Returns whether the person has switched notifications on. The browser may have taken its permission back since. */
export function notifiesAtFirst(): boolean {
  // The permission comes last: to read it, the page waits for another process of the browser.
  return localStorage.getItem(key) === 'on' && canNotify() && Notification.permission === 'granted'
}

/** Switches notifications on or off. Asks for permission if needed. Returns whether they are on afterwards. */
export async function switchNotifications(on: boolean): Promise<boolean> {
  const isOn = on && canNotify() && (await Notification.requestPermission()) === 'granted'
  localStorage.setItem(key, isOn ? 'on' : 'off')
  return isOn
}
