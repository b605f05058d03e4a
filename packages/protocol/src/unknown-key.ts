import { didYouMean } from './nearest-name.ts'

/** All keys of an options object. The compiler says when one is missing here. */
export type KeysOf<Options> = Readonly<Record<keyof Options, true>>

/** What is wrong with the keys of an object that somebody wrote by hand; `undefined` when all of them are known. */
export function unknownKey(options: object, known: Readonly<Record<string, true>>): string | undefined {
  const key = Object.keys(options).find(each => !Object.hasOwn(known, each))
  return key && `there is no option ${JSON.stringify(key)}. ${didYouMean(key, Object.keys(known))}`
}
