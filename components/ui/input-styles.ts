/** The shared style of inputs, text areas and selects. */
export const inputStyles = [
  'base:w-full rounded-md border border-edge bg-surface text-ink shadow-control transition-colors',
  'placeholder:text-subtle hover:border-muted',
  'focus-visible:outline-offset-0 aria-invalid:border-danger-ink',
  'disabled:cursor-not-allowed disabled:border-line-strong disabled:bg-sunken disabled:text-muted',
  // Not `read-only:`, which also matches buttons.
  '[&[readonly]]:bg-sunken',
].join(' ')
