-- The language server of Freehold, for Neovim 0.11 or later.
vim.filetype.add({ extension = { mlir = "mlir" } })
return {
  cmd = { "freehold-lsp" },
  filetypes = { "mlir", "python" },
  root_markers = { "pyproject.toml", ".git" },
  on_attach = function(_, buffer)
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end,
}
