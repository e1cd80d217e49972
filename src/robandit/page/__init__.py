"""The lab as one page that a browser opens from the disk: kernels as WebAssembly, and the text around them."""
