/** Imports files one after another in a separate process. Usage: `import-files.ts FILE`, a JSON array of [resource, seller, file]. */
import { readFile } from 'node:fs/promises'
import { parseCommand } from '@/cli/command'
import { importCommand } from '@/cli/commands/import'

const jobs = JSON.parse(await readFile(String(process.argv[2]), 'utf8')) as [string, string, string][]
for (const [resource, seller, file] of jobs) {
  const { values, positionals } = parseCommand(importCommand, [resource, file, '--seller', seller])
  const { output, partly } = await importCommand.run(values, positionals)
  process.stdout.write(`${JSON.stringify({ file, output, partly })}\n`)
}
process.exit()
