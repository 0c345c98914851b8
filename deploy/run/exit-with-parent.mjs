/**
 * Preloaded into a supervised program. Ends it when its supervisor is gone, so that a killed `npm start`
 * leaves no web server or worker running. The IPC channel closes when the supervisor ends. The child of
 * `next dev` loads this too, and ends with its parent.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
// The channel alone must not keep a program alive, except one that waits for messages.
process.channel?.unref()
process.on('newListener', (name) => {
  if (name === 'message') process.channel?.ref()
})
