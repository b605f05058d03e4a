/** What a client may ask for when its message finds the chat busy with another answer. */
export const onBusyModes = ['reject', 'queue', 'interrupt'] as const

/** One of `onBusyModes`: the message is refused, waits for its turn, or interrupts the other answer. */
export type OnBusy = (typeof onBusyModes)[number]
