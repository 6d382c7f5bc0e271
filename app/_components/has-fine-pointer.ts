/** Returns whether the primary pointing device is precise, such as a mouse. If so, focusing a field does not open an on-screen keyboard. */
export const hasFinePointer = () => window.matchMedia('(pointer: fine)').matches
