/**
 * Imports files one after another and prints a line of JSON for each. Usage: `import-files.ts JOBS`, where `JOBS` is a JSON file with an
 * array of [resource, seller, file].
 */
import { readFile } from 'node:fs/promises'
import { parseCommand } from '@/cli/command'
import { importCommand } from '@/cli/commands/import'

const jobs = JSON.parse(await readFile(String(process.argv[2]), 'utf8')) as [string, string, string][]
for (const [resource, seller, file] of jobs) {
  const { values, positionals } = parseCommand(importCommand, [resource, file, '--seller', seller])
  const { output, isPartial } = await importCommand.run(values, positionals)
  process.stdout.write(`${JSON.stringify({ file, output, isPartial })}\n`)
}
process.exit()
