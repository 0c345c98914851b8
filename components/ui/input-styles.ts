/** The look that every box one types or chooses in shares. */
export const inputStyles = [
  'w-full rounded-md border border-edge bg-surface text-ink shadow-control transition-colors',
  'placeholder:text-subtle hover:border-muted',
  'focus-visible:outline-offset-0 aria-invalid:border-danger-ink',
  'disabled:cursor-not-allowed disabled:border-line-strong disabled:bg-sunken disabled:text-muted',
  // Not `read-only:`, which matches every element that cannot be typed into: buttons too.
  '[&[readonly]]:bg-sunken',
].join(' ')
