// What a client may say about a message that it sends, and how large the message may be.

/** What a client may ask for when its message finds the chat busy with another answer. */
export const onBusyModes = ['reject', 'queue', 'interrupt'] as const

/** One of `onBusyModes`: the message is refused, waits for its turn, or interrupts the other answer. */
export type OnBusy = (typeof onBusyModes)[number]

/** How many files one message may have. */
export const maxFiles = 10

/** The largest file of a message, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024

/** The largest text file, in bytes. A model reads it as text, and no model reads more than this. */
export const maxTextFileBytes = 1024 * 1024

/** All files of one message together, in bytes. */
export const maxFilesBytes = 20 * 1024 * 1024
