/** Returns whether the main pointer is a mouse or touchpad. If so, focusing a field does not open an on-screen keyboard. */
export const hasMouse = () => window.matchMedia('(pointer: fine)').matches
