/** The file of what an import or a pull refused: made with the first refusal, gone after a run that refuses nothing. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { SECRET_MEMBERS } from '@/lib/catalog'
import type { Reject } from '@/lib/sync/import/import'
import { CommandError } from './command'

export type Rejects = {
  write(reject: Reject): Promise<void>
  close(): Promise<void>
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'w', 0o600)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new CommandError(
      `A line was refused, and ${file} can't be written to say so (${reason}). Run it in a folder, or on a file in one, that you may write to.`,
    )
  }
}

/** A client secret stands in no file of ours, refused or not; the input still has it. */
const withoutSecrets = (text: string) => text.replace(SECRET, '$1"…"')
const SECRET = new RegExp(`("(?:${SECRET_MEMBERS.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g')

/** What an earlier run refused says nothing about this one: its file goes. */
export async function startRejects(file: string): Promise<Rejects> {
  await rm(file, { force: true }).catch(() => {})
  let handle: FileHandle | undefined
  return {
    async write(reject) {
      handle ??= await openFile(file)
      await handle.write(`${JSON.stringify({ ...reject, text: withoutSecrets(reject.text) })}\n`)
    },
    close: async () => handle?.close(),
  }
}
