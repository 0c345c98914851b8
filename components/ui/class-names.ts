/** Joins class names. If two may set the same property, one of them needs the variant `base:`, which the other overrides. */
export { clsx as cn } from 'clsx'
