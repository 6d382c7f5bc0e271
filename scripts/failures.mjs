/** Lists the failures in the reports of Vitest and Playwright, for the summary that `npm test` prints. */

/**
 * A failure of a test, or of a step that all tests need. A flaky test passed on a retry.
 *
 * @typedef {{ name: string, error: string, isFlaky?: true }} Failure
 */

const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** Returns the first 12 lines of an error, which contain its message and the expected value, without colors. */
const truncateError = (text) => text.replace(COLORS, '').trim().split('\n').slice(0, 12).join('\n')

/** @returns {Failure[]} the failures in a report of Vitest's `json` reporter */
export function failuresOfVitest({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    // A test that passed on a retry still has the errors of its first attempt.
    const failed = assertionResults.filter((test) => test.status === 'failed' || test.failureMessages?.length > 0)
    // A file that fails to load has no failed tests.
    if (status === 'failed' && !failed.some((test) => test.status === 'failed')) return [{ name, error: truncateError(message) }]
    return failed.map((test) => ({
      name: `${name} › ${test.fullName}`,
      error: truncateError(test.failureMessages.join('\n')),
      ...(test.status === 'passed' && { isFlaky: true }),
    }))
  })
}

/** @returns {Failure[]} the failures in a report of Playwright's `json` reporter */
export function failuresOfPlaywright({ suites = [], errors = [] }) {
  const listFailures = (suite) => [
    ...(suite.suites ?? []).flatMap(listFailures),
    ...suite.specs.flatMap(({ title, file, line, tests }) =>
      tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ projectName, results, status }) => ({
          name: [projectName, `${file}:${line}`, title].filter(Boolean).join(' › '),
          error: truncateError(results.flatMap((result) => result.errors.map(({ message = '' }) => message)).join('\n')),
          ...(status === 'flaky' && { isFlaky: true }),
        })),
    ),
  ]
  return [...errors.map(({ message = '' }) => ({ name: 'Playwright', error: truncateError(message) })), ...suites.flatMap(listFailures)]
}
