-- Pandoc filter for the book. In: an empty document with metadata `work`. Out: all pages in order, a part's
-- title before its first page; identifiers carry their page's name, so that links between pages become links
-- within the book.
package.path = "docs/machinery/?.lua;" .. package.path
local kit = require("kit")

local function read(source)
  local file = io.open(source)
  local text = file:read("a")
  file:close()
  return pandoc.read(text, "markdown+autolink_bare_uris")
end

local function book_anchor(page, anchor)
  return "#" .. page.name .. (anchor ~= "" and "--" .. anchor or "")
end

function Pandoc(document)
  local work = pandoc.utils.stringify(document.meta.work)
  local pages, by_source = kit.contents(work .. "/contents")
  local out, part = pandoc.List(), nil
  for _, page in ipairs(pages) do
    if page.part ~= part then
      part = page.part
      out:insert(pandoc.Header(1, pandoc.Str(part), pandoc.Attr("", { "part" })))
    end
    local blocks = kit.as_page(read(page.source).blocks, page)
    blocks = kit.resolve(blocks, page.source, by_source, book_anchor)
    local titled = false
    local function rename(element)
      if element.identifier ~= "" then element.identifier = page.name .. "--" .. element.identifier end
      return element
    end
    blocks = pandoc.Pandoc(blocks):walk({
      Header = function(header)
        if header.level == 1 and not titled then
          titled = true
          header.identifier = page.name
        else
          header = rename(header)
        end
        header.level = header.level + 1
        return header
      end,
      Div = rename, Span = rename, CodeBlock = rename, Table = rename,
    }).blocks
    if not titled then blocks:insert(1, pandoc.Header(2, pandoc.Str(page.title), pandoc.Attr(page.name))) end
    out:extend(blocks)
  end
  document.blocks = out
  document.meta = { pagetitle = "TMA Lab Kit", lang = "en" }
  return document
end
