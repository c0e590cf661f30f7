/** Loaded into the program before its own code: root becomes another user, so that permissions apply to it. */
if (process.getuid() === 0) {
  process.setgroups([])
  process.setgid(65534)
  process.setuid(65534)
}
