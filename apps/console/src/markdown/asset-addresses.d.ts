/** The address of a file that the build makes, such as a style sheet that is loaded later. */
declare module '*?url' {
  const address: string
  export default address
}
