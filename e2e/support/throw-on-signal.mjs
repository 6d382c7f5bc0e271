/** Preloaded into a tested server: SIGUSR2 makes it throw or reject outside of any request. */
process.on('SIGUSR2', () => {
  if (process.env.TEST_FAULT === 'rejection') void Promise.reject(new Error('injected fault'))
  else throw new Error('injected fault')
})
