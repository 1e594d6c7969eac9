// What the browser decides by itself. A question to the server whose answer gets lost is never
// settled in dash, and all that depends on it waits for ever: so nothing that is looked at again
// and again may depend on one.
const other = {light: 'dark', dark: 'light'};
const rest = 20; // the best so far is drawn again after so many times what it took

let order = null; // of the table that is shown
let restedAt = 0; // when the best so far may be drawn again

// So many children of one kind; those that are there stay, and with them the keyboard's focus.
function children(parent, tag, count) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(document.createElement(tag));
  return [...parent.children];
}

// Text stays text, whatever a job has made of it.
function write(node, text, name) {
  if (node.textContent !== text) node.textContent = text;
  if (node.className !== name) node.className = name;
}

function writeHeads(row, columns) {
  children(row, 'th', columns.length).forEach((head, i) => {
    const sorted = columns[i] !== order.column ? 'none' : order.descending ? 'descending' : 'ascending';
    const [button] = children(head, 'button', 1);
    write(button, columns[i] + {none: '', ascending: ' ↑', descending: ' ↓'}[sorted], 'head');
    head.setAttribute('aria-sort', sorted);
    button.dataset.column = columns[i];
  });
}

function writeJob(row, texts, address) {
  const cells = children(row, 'td', texts.length);
  const [link] = children(cells[0], 'a', 1);
  write(link, texts[0], '');
  link.setAttribute('href', address + '/' + texts[0]);
  const [status] = children(cells[2], 'span', 1);
  write(status, texts[2], 'status ' + texts[2].replace(/[^a-zA-Z ]/g, '')); // each word a class
  cells.forEach((cell, i) => {
    if (i !== 0 && i !== 2) write(cell, texts[i], i === texts.length - 1 ? 'fault' : '');
  });
}

// A head sorts, the other way at the second press; a job is gone to without a load of the page.
function pressed(event) {
  const head = event.target.closest('button'), link = event.target.closest('a');
  if (head) {
    const column = head.dataset.column, again = column === order.column;
    const now = {column: column, descending: again && !order.descending, page: 0};
    dash_clientside.set_props('order', {data: now});
  } else if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    history.pushState({}, '', link.getAttribute('href')); // a set pathname would load the page
    dispatchEvent(new PopStateEvent('popstate')); // which dash's own address hears
    scrollTo(0, 0);
  }
}

function madeTable(place) {
  const table = place.appendChild(document.createElement('table'));
  table.createTHead().insertRow();
  table.createTBody();
  table.addEventListener('click', pressed);
  return table;
}

// How long the figure takes from here until it is on the screen sets when it may be drawn again.
function timed() {
  const began = performance.now();
  const drawing = document.querySelector('#progress .js-plotly-plot');
  if (drawing) drawing.once('plotly_afterplot', () => {
    const now = performance.now();
    restedAt = now + rest * (now - began);
  });
}

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  page: {
    // The system's theme until the button was pressed, which is remembered.
    theme: function (presses, chosen) {
      const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
      const now = presses ? other[chosen || system] : (chosen || system);
      document.documentElement.dataset.theme = now;
      return [now, presses ? now : dash_clientside.no_update];
    },

    // A tab says what it shows, and of which experiment.
    title: function (text) {
      document.title = text;
    },

    // A tick is worth a question only where somebody sees the answer.
    look: function (ticks) {
      return document.hidden ? dash_clientside.no_update : ticks || 0;
    },

    // The jobs; which of them is told.
    table: function (news) {
      order = news.order;
      const place = document.getElementById('table');
      const table = place.querySelector('table') || madeTable(place);
      writeHeads(table.tHead.rows[0], news.columns);
      const rows = children(table.tBodies[0], 'tr', news.rows.length);
      rows.forEach((row, i) => writeJob(row, news.rows[i], news.address));
      return news.shown;
    },

    // The best so far, when the last drawing has been rested from; of several that wait, dash takes
    // the last.
    progress: function (figure) {
      const wait = Math.max(restedAt - performance.now(), 0);
      return new Promise((drawn) => setTimeout(() => { timed(); drawn(figure); }, wait));
    },

    // Which page of the jobs the table shows.
    turn: function (newer, older, wanted, order) {
      const trigger = dash_clientside.callback_context.triggered_id;
      if (trigger === 'older') return {...order, page: order.page + 1};
      if (trigger === 'newer') return {...order, page: Math.max(order.page - 1, 0)};
      return {...order, page: 0}; // of what is filtered now
    },
  },
});
