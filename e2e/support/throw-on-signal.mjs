/**
 * Preloaded into a server under test. On SIGUSR2, throws an error. If TEST_FAULT is `driver`, the error's stack trace points to the
 * database driver; if it is `rejection`, rejects a promise instead.
 */
const DRIVER_FRAME = 'at Immediate.nextWrite (file:///node_modules/postgres/src/connection.js:258:22)'

process.on('SIGUSR2', () => {
  if (process.env.TEST_FAULT === 'driver')
    throw Object.assign(new TypeError('injected fault'), { stack: `TypeError: injected fault\n    ${DRIVER_FRAME}` })
  if (process.env.TEST_FAULT === 'rejection') void Promise.reject(new Error('injected fault'))
  else throw new Error('injected fault')
})
