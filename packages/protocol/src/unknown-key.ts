import { didYouMean } from './nearest-name.ts'

/** All keys of an options object. The compiler reports a key that is missing from the list. */
export type KeysOf<Options> = Readonly<Record<keyof Options, true>>

/** Returns a sentence about the first key that is not known, for example misspelled; `undefined` when all are known. */
export function unknownKey(options: object, known: Readonly<Record<string, true>>): string | undefined {
  const key = Object.keys(options).find(each => !Object.hasOwn(known, each))
  return key && `there is no option ${JSON.stringify(key)}. ${didYouMean(key, Object.keys(known))}`
}
