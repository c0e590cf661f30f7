/** Loaded into the program before the program's own code: root becomes another user, so that permissions apply. */
if (process.getuid() === 0) {
  process.setgroups([])
  process.setgid(65534)
  process.setuid(65534)
}
