/** Runs functions one after another, even if some of them fail. @throws {AggregateError} with their errors */
export async function runAll(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const run of work) await run().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors)
}
