/** Returns whether the main pointer is a mouse or touchpad, so that focusing a field opens no on-screen keyboard. */
export const hasMouse = () => window.matchMedia('(pointer: fine)').matches
