/**
 * Preloaded into a supervised program. Ends it when its supervisor is gone, so that a killed `npm start`
 * leaves no web server or worker running. The IPC channel closes when the supervisor ends.
 */
process.channel?.unref()
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
