import { openStore, type Store } from '@throughline/store/open-store'
import { temporaryFolder } from './temporary-folder.ts'

/** Opens a store on a real file in its own folder. Disposing removes both. */
export async function temporaryStore(): Promise<
  { readonly store: Store; readonly folder: string } & AsyncDisposable
> {
  const folder = await temporaryFolder()
  const store = await openStore(folder.path)
  return {
    store,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await store.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
