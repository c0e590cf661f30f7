/** Loaded into the program before its own code: root works as another user, whom permissions bind. */
if (process.getuid() === 0) {
  process.setgroups([])
  process.setgid(65534)
  process.setuid(65534)
}
